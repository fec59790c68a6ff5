"""Small folders: most people have a few documents, with the answer among them or not."""

import hashlib
import random
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from functools import cache
from itertools import islice
from pathlib import Path

from benchmarks.answers.baselines import Plain
from benchmarks.answers.questions import Corpus, Question
from benchmarks.answers.texts import plain


def by_chance(
    corpus: Corpus, collection: Path, documents: int, folders: Path
) -> Iterator[tuple[Question, Path]]:
    """Put the document with the answer, where there is one, and others by chance into a folder.

    Args:
        corpus: what is asked.
        collection: all of its documents.
        documents: how many each folder has.
        folders: where they are made.

    Yields:
        Each question and its folder.
    """
    files = _files(collection)
    for question in corpus.questions:
        folder = folders / _name(question)
        with_answer = [each for each in files if str(each.relative_to(collection)) == question.file]
        others = [each for each in files if each not in with_answer]
        random.Random(folder.name).shuffle(others)
        yield question, _filled(folder, collection, [*with_answer, *others][:documents])


def nearest(
    corpus: Corpus, collection: Path, documents: int, folders: Path
) -> Iterator[tuple[Question, Path]]:
    """Put the documents nearest to a question of all that do not answer it into a folder.

    A document holds the answer where one of the question's patterns is found in it; the others are
    ranked by their best sentence (BM25, as the plain baseline reads them).

    Takes what `by_chance` takes.

    Yields:
        Each question that shares a word with them, which has no answer any more, and its folder.
    """
    texts = cache(plain)
    with closing(Plain(collection)) as ranking:
        for question in corpus.questions:
            ranked = (each for each in ranking.nearest(question.ask))
            without = (each for each in ranked if not question.answered_by(texts(each)))
            chosen = list(islice(without, documents))
            if chosen:
                unanswerable = replace(question, gold=(), file="", overlaps=True)
                yield unanswerable, _filled(folders / _name(question), collection, chosen)


def _files(collection: Path) -> Sequence[Path]:
    return sorted(each for each in collection.rglob("*") if each.is_file())


def _name(question: Question) -> str:
    return hashlib.sha256(question.ask.encode()).hexdigest()[:16]


def _filled(folder: Path, collection: Path, files: Iterable[Path]) -> Path:
    for each in files:
        target = folder / each.relative_to(collection)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(each, target)
    return folder
