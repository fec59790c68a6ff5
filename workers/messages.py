"""Which way messages go: over RabbitMQ where the settings name one, else over Temporal itself."""

from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

from temporalio.client import Client

from caveat.contracts.message import Message, is_coordinator
from caveat.intake import Intake
from caveat.ports import Messages, Snapshots
from caveat.rules.messages import Keys, MasterKey, holds, signed
from caveat.workers.outside import OutsideAgents
from caveat.workers.privacy import close_folders
from caveat.workers.settings import Settings, SettingsProblem
from caveat.workers.signing import signer


def messages(settings: Settings, client: Client, keys: Keys | None = None) -> Messages:
    """Choose what carries messages.

    Args:
        settings: of this process.
        client: of the Temporal server.
        keys: what messages are signed and checked with; None for the coordinator's own.

    Raises:
        SettingsProblem: CAVEAT_MESSAGES cannot be used.
    """
    known = keys or master_key(settings)

    def intake(agent: str) -> Intake:
        return Intake(
            agent,
            _memory(settings, agent),
            trusted=lambda message: holds(message, known),
            ordered=not is_coordinator(agent),  # several workers may receive what is for it
        )

    def sign(message: Message) -> Message:
        return signed(message, known)

    if settings.messages is not None:
        return _rabbitmq(settings.messages.get_secret_value(), intake, sign)
    from caveat.workers.mailboxes import Mailboxes  # noqa: PLC0415  # for whom messages are something

    return Mailboxes(client, intake, sign)


def outside_agents(settings: Settings, snapshots: Snapshots) -> OutsideAgents:
    """Wire what the coordinator sends to agents elsewhere, and hears from them."""
    keys = master_key(settings)
    file = settings.messages_folder / f"{keys.name}.db"
    return OutsideAgents(
        carrier=lambda client: messages(settings, client),
        snapshots=snapshots,
        name=keys.name,
        sign=lambda message: signed(message, keys),
        has_served=file.exists,
    )


def master_key(settings: Settings) -> MasterKey:
    """Return the coordinator's key, from which those of all agents follow.

    Raises:
        ServerProblem: it can be neither read nor made.
    """
    return MasterKey(signer(settings).key)


def _memory(settings: Settings, agent: str) -> Path:
    close_folders(settings)
    settings.messages_folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return settings.messages_folder / f"{agent}.db"


def _rabbitmq(
    url: str, intake: Callable[[str], Intake], sign: Callable[[Message], Message]
) -> Messages:
    if urlsplit(url).scheme not in {"amqp", "amqps"}:  # the URL holds a password
        raise SettingsProblem("CAVEAT_MESSAGES must be a URL that begins with amqp:// or amqps://.")
    try:
        from caveat.adapters.rabbitmq.messages import RabbitMessages  # noqa: PLC0415  # an extra
    except ModuleNotFoundError:
        raise SettingsProblem(
            "CAVEAT_MESSAGES needs what is not installed: pip install 'caveat[rabbitmq]'."
        ) from None
    return RabbitMessages(url, intake, sign)
