"""From the environment to a notifier."""

import os

import pytest

from caveat.activities.telling import NoticeActivities
from caveat.adapters.http.target import Target
from caveat.adapters.notify.posting import Webhook
from caveat.adapters.notify.several import LogNotifier, Several
from caveat.adapters.notify.signing import SigningKeys
from caveat.workers.settings import Settings, SettingsProblem, load
from caveat.workers.wiring import notifier, registry

URL = "https://receiver.example/planted-path?token=planted-token"
TARGET = Target.of(URL)


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith("CAVEAT_"):
            monkeypatch.delenv(name)


def loaded(monkeypatch: pytest.MonkeyPatch, variables: dict[str, str]) -> Settings:
    for name, value in variables.items():
        monkeypatch.setenv(f"CAVEAT_WEBHOOK_{name}", value)
    return load()


def webhook_of(settings: Settings) -> tuple[Target, SigningKeys]:
    """Where notices are posted beside the log, under the name that all requests have."""
    told = notifier(settings)
    assert isinstance(told, Several)
    log, webhook = told.notifiers
    assert log == LogNotifier()
    assert isinstance(webhook, Webhook)
    assert webhook.client.user_agent.startswith("Caveat/")
    return webhook.receiver, webhook.keys


def test_without_a_webhook_the_log_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    assert notifier(loaded(monkeypatch, {"URL": ""})) == LogNotifier()


def test_with_a_webhook_both_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    assert webhook_of(loaded(monkeypatch, {"URL": URL})) == (TARGET, SigningKeys())


def test_a_secret_signs(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = loaded(monkeypatch, {"URL": URL, "SECRET": "whsec_cGxhbnRlZA=="})
    assert webhook_of(settings) == (TARGET, SigningKeys((b"planted",)))
    assert "planted" not in f"{settings!r} {settings} {notifier(settings)!r}"


@pytest.mark.parametrize(
    ("variables", "name"),
    [
        ({"URL": "planted"}, "CAVEAT_WEBHOOK_URL"),
        ({"URL": "ftp://planted/"}, "CAVEAT_WEBHOOK_URL"),
        ({"URL": "http://planted:0/"}, "CAVEAT_WEBHOOK_URL"),
        ({"URL": "https://user:planted@host/"}, "CAVEAT_WEBHOOK_URL"),
    ],
)
def test_what_cannot_be_is_one_sentence_that_shows_no_value(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], name: str
) -> None:
    with pytest.raises(SettingsProblem) as problem:
        loaded(monkeypatch, variables)
    text = str(problem.value)
    assert text.startswith(f"{name} ")
    assert text.endswith(".")
    assert text.count(". ") == 0
    assert "planted" not in text


@pytest.mark.parametrize("secret", ["whsec_planted!", "whsec_", "  "])
def test_a_secret_that_is_none_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, secret: str
) -> None:
    settings = loaded(monkeypatch, {"URL": URL, "SECRET": secret})
    with pytest.raises(SettingsProblem, match=r"^CAVEAT_WEBHOOK_SECRET cannot be") as problem:
        notifier(settings)
    assert "planted" not in str(problem.value)


def test_the_herald_works_where_nothing_waits_for_a_model(settings: Settings) -> None:
    keeping = registry(settings).keeping
    assert any(isinstance(getattr(one, "__self__", None), NoticeActivities) for one in keeping)
