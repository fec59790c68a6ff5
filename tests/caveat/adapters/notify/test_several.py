from dataclasses import dataclass, field

import pytest

from caveat.adapters.notify.several import Several
from caveat.contracts.notice import Notice
from caveat.failures import PortFailure, unavailable


@dataclass
class Ear:
    name: str
    deaf: bool = False
    heard: list[Notice] = field(default_factory=list)

    async def notify(self, notice: Notice) -> None:
        if self.deaf:
            raise unavailable(f"{self.name} is deaf.", resource=self.name)
        self.heard.append(notice)


async def test_everybody_is_told(notice: Notice) -> None:
    ears = Ear("a"), Ear("b")
    await Several(ears).notify(notice)
    assert [ear.heard for ear in ears] == [[notice], [notice]]


async def test_who_cannot_be_told_keeps_nobody_from_hearing(notice: Notice) -> None:
    ears = Ear("a", deaf=True), Ear("b"), Ear("c", deaf=True)
    with pytest.raises(PortFailure, match="a is deaf"):
        await Several(ears).notify(notice)
    assert ears[1].heard == [notice]
