"""The corpus and the web as one library."""

from collections.abc import Callable
from dataclasses import dataclass

from caveat.contracts.source import SourceRef
from caveat.contracts.tasks import Inventory
from caveat.failures import invalid
from caveat.ports import Document, Library


@dataclass(frozen=True)
class SeveralLibraries:
    """Asks the library that a source belongs to.

    Attributes:
        corpus: holds the sources that have a path.
        web: holds those that have nothing but a URL.
        default_corpus: whether the corpus has folders that are searched when a run names none.
    """

    corpus: Library
    web: Library
    default_corpus: bool = False

    async def take_stock(
        self,
        corpus: tuple[str, ...],
        on_progress: Callable[[int], None],
        exclude: tuple[str, ...] = (),
    ) -> Inventory:
        """Take stock of the corpus; a run that has none is one on the web alone.

        Raises:
            PortFailure: a corpus is named and cannot be used; the web does not stand in for it.
        """
        has_corpus = bool(corpus) or self.default_corpus
        library = self.corpus if has_corpus else self.web
        return await library.take_stock(corpus, on_progress, exclude)

    async def read(self, source: SourceRef) -> Document:
        """Read from the corpus what lies in it, and from the web what does not.

        Raises:
            PortFailure: the source cannot be read, or has neither a path nor a URL.
        """
        if source.path is not None:
            return await self.corpus.read(source)
        if source.url is not None:
            return await self.web.read(source)
        raise invalid(
            f"“{source.title}” is neither in a corpus nor on the web.", resource=source.id
        )
