"""Messages over RabbitMQ."""
