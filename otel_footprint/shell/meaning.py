"""What an exit code says of a program that was read, and what it hides, in words."""

from __future__ import annotations

from typing import Final

from otel_footprint.catalogue.exit_meanings import ExitMeanings, Meaning, shipped_meanings, signal_name
from otel_footprint.shell import sentences
from otel_footprint.shell.owners import Owner
from otel_footprint.shell.reading import ShellReading

_PIPE_CLOSED: Final = "SIGPIPE"


def masks(reading: ShellReading, exit_code: int | None, meanings: ExitMeanings | None = None) -> bool:
    """Whether the exit code looks harmless while a command may have failed behind it.

    Args:
        reading: the program.
        exit_code: as recorded; ``None`` when none is, and then there is nothing that could hide a failure.
        meanings: known exit codes; the shipped ones by default.

    Returns:
        ``True`` when the program has a masked command and the exit code is 0 or only an answer, as the 1 of a
        ``grep`` that found nothing is.
    """
    owners = () if exit_code is None else reading.owners_of(exit_code)
    if exit_code is None or not owners or not reading.masked:
        return False
    known = (_own(owner, exit_code, meanings or shipped_meanings()) for owner in owners)
    return exit_code == 0 or all(meaning is not None and meaning.answer for meaning in known)


def exit_means(reading: ShellReading, exit_code: int | None, meanings: ExitMeanings | None = None) -> str | None:
    """What the exit code says, in one or two sentences.

    Args:
        reading: the program.
        exit_code: as recorded; ``None`` when none is.
        meanings: known exit codes; the shipped ones by default.

    Returns:
        ``None`` when there is nothing to add to the number.
    """
    if exit_code is None:
        return None
    meanings = meanings or shipped_meanings()
    found = [_told(reading.owners_of(exit_code), exit_code, meanings)]
    if masks(reading, exit_code, meanings):
        found.append(_masked(reading, exit_code, told=found[0] is not None))
    return " ".join(sentence for sentence in found if sentence) or None


def _masked(reading: ShellReading, exit_code: int, *, told: bool) -> str:
    command = reading.reported_by(exit_code)
    if told or command is None or command in reading.masked:
        return sentences.render("masked", exit_code=exit_code, commands=reading.masked)
    return sentences.render("masked.owner", exit_code=exit_code, command=command, commands=reading.masked)


def _told(owners: tuple[Owner, ...], exit_code: int, meanings: ExitMeanings) -> str | None:
    """The sentence about the command, or the commands, whose exit code it can be."""
    known = [(owner, meaning) for owner in owners if (meaning := _own(owner, exit_code, meanings)) is not None]
    if len(owners) == 1:
        return _of_one(owners[0], exit_code, known[0][1] if known else None)
    if known and len({meaning.id for _, meaning in known}) == 1:
        name = _name(known[-1][0])
        phrase = sentences.PHRASES[known[-1][1].id]
        return sentences.render("own.shared", command=name, phrase=phrase, exit_code=exit_code)
    return None if known or not owners else _of_any(owners, exit_code)


def _of_one(owner: Owner, exit_code: int, known: Meaning | None) -> str | None:
    if owner.explicit:
        return sentences.render("explicit", exit_code=exit_code) if exit_code else None
    name = _name(owner)
    if owner.command is None:
        return None
    if owner.inverted:
        return sentences.render("inverted.one" if exit_code else "inverted.zero", command=name)
    if known is not None:
        return sentences.render("own", command=name, phrase=sentences.PHRASES[known.id], exit_code=exit_code)
    signal = signal_name(exit_code)
    if signal == _PIPE_CLOSED and owner.writer is not None:
        # Its own output goes to the runner, which reads on: a runner that sets `pipefail` shows in this code alone.
        return _pipe_closed(owner.writer, name, exit_code)
    return signal and sentences.render("signal", command=name, signal=signal, exit_code=exit_code)


def _pipe_closed(writer: str, reader: str, exit_code: int) -> str:
    return sentences.render("pipe-closed", command=writer, reader=reader, signal=_PIPE_CLOSED, exit_code=exit_code)


def _of_any(owners: tuple[Owner, ...], exit_code: int) -> str | None:
    signal = signal_name(exit_code)
    writers = [(_name(owner), owner.reader) for owner in owners if owner.reader is not None]
    if signal == _PIPE_CLOSED and len(writers) == 1:
        name, reader = writers[0]
        return _pipe_closed(name, reader, exit_code)
    return signal and sentences.render("signal.shared", signal=signal, exit_code=exit_code)


def _own(owner: Owner, exit_code: int, meanings: ExitMeanings) -> Meaning | None:
    """What the exit code means when it came this way."""
    if owner.command is None or owner.inverted or owner.fixed is not None:
        return None
    words = [word.text for word in owner.command.words]
    return meanings.of(words, exit_code, wrappers=owner.command.wrappers)


def _name(owner: Owner) -> str:
    return (owner.command.name if owner.command else None) or "A command"
