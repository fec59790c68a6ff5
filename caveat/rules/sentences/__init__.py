"""What single sentences may say: the form that code checks, and what it points out to a reader."""
