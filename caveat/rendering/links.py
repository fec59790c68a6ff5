"""Where links lead: to the page, whose paths notices and terminals name, or inside a file."""

from dataclasses import dataclass
from urllib.parse import quote


def build_run_path(run_id: str) -> str:
    return f"/runs/{quote(run_id, safe='')}"


def build_contradiction_path(arbitration: str) -> str:
    run_id, _, contradiction = arbitration.rpartition("/")
    return f"{build_run_path(run_id)}/contradictions/{quote(contradiction, safe='')}"


@dataclass(frozen=True)
class Links:
    run: str = ""  # address of the run's page, as `build_run_path` writes it; empty in a file

    def link_claim(self, claim_id: str, source_id: str) -> str:
        if not self.run:
            return f"#quote-{claim_id}"
        return f"{self.link_source(source_id)}/{quote(claim_id, safe='')}"

    def link_source(self, source_id: str) -> str | None:
        return f"{self.run}/sources/{quote(source_id, safe='')}" if self.run else None

    def link_contradiction(self, name: str) -> str | None:
        return f"{self.run}/contradictions/{name}" if self.run else None
