"""Keeps secrets out of what is written.

Names, ids and sentences can carry a secret that the application put there. Whatever has the shape of
one is replaced by :data:`KEPT_OUT` before it is written; the application's own attributes are not touched.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

KEPT_OUT: Final = "(secret kept out)"
"""Stands where a secret was."""

# Tokens that say what they are by their first letters.
_SHAPES: Final = (
    r"(?:AKIA|ASIA|ABIA|ACCA|AROA|AIDA)[0-9A-Z]{16}",  # AWS
    r"LTAI[0-9A-Za-z]{12,}",  # Alibaba
    r"AKID[0-9A-Za-z]{13,}",  # Tencent
    r"AIza[\w\-]{30,}",  # Google API key
    r"ya29\.[\w\-.]{10,}",  # Google access token
    r"1//0[\w\-]{20,}",  # Google refresh token
    r"GOCSPX-[\w\-]{10,}",
    r"gh[opusr]_[0-9A-Za-z]{20,}",
    r"github_pat_\w{20,}",
    r"gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat)-[\w\-.]{16,}",
    r"xox[a-z]-[\w\-]{8,}",
    r"xapp-[\w\-]{10,}",
    r"hooks\.slack\.com/(?:services|workflows|triggers)/[\w/]+",
    r"discord(?:app)?\.com/api/webhooks/[\w/\-]+",
    r"[MNO][\w\-]{22,28}\.[\w\-]{6}\.[\w\-]{27,}",  # Discord bot
    r"\d{8,10}:AA[\w\-]{30,}",  # Telegram bot
    r"(?:sk|rk|pk)_(?:live|test|prod)_[0-9A-Za-z]{8,}",
    r"whsec_[\w+/=]{16,}",
    r"sk-[\w\-]{16,}",  # OpenAI, Anthropic, OpenRouter and others
    r"sess-[0-9A-Za-z]{20,}",
    r"(?:gsk|pplx|xai|r8|hf|nvapi|fw|tvly|jina|csk|lsv2_pt|lsv2_sk)[_\-][\w\-]{16,}",
    r"SG\.[\w\-]{10,}\.[\w\-]{10,}",
    r"key-[0-9a-f]{32}",  # Mailgun
    r"[0-9a-f]{32}-us\d{1,2}",  # Mailchimp
    r"(?:AC|SK)[0-9a-f]{32}",  # Twilio
    r"sq0(?:atp|csp|idp)-[\w\-]{20,}",
    r"EAA[A-Za-z0-9]{20,}",  # Facebook, Square
    r"shp(?:at|ca|pa|ss)_[0-9A-Fa-f]{16,}",
    r"npm_[0-9A-Za-z]{20,}",
    r"pypi-[\w\-]{16,}",
    r"rubygems_[0-9a-f]{20,}",
    r"dckr_(?:pat|oat)_[\w\-]{16,}",
    r"do[opr]_v1_[0-9a-f]{20,}",
    r"hv[sbr]\.[\w\-]{16,}",  # Vault
    r"s\.[0-9A-Za-z]{24}",
    r"dp\.(?:pt|st|ct|sa|scim|audit)\.[\w\-.]{16,}",
    r"dapi[0-9a-f]{32}",
    r"lin_(?:api|oauth)_[0-9A-Za-z]{16,}",
    r"(?:secret|ntn)_[0-9A-Za-z]{30,}",  # Notion
    r"gl(?:sa|c)_[\w+/=]{16,}",  # Grafana
    r"sntry[su]_[\w+/=.\-]{16,}",
    r"NR(?:AK|JS|RA|II|IQ|SP)-[\w\-]{12,}",
    r"phc_[0-9A-Za-z]{20,}|phx_[0-9A-Za-z]{20,}",
    r"ATATT3[\w\-=]{16,}",
    r"ATCTT3[\w\-=]{16,}",
    r"pscale_(?:tkn|pw|oauth)_[\w\-.]{16,}",
    r"sb[ps]_[0-9A-Za-z]{20,}|sb_(?:secret|publishable)_[\w\-]{16,}",
    r"PMAK-[0-9a-f\-]{24,}",
    r"pul-[0-9a-f]{20,}",
    r"[0-9A-Za-z]{10,20}\.atlasv1\.[\w\-]{20,}",
    r"sl\.[\w\-]{40,}",
    r"pat\w{14}\.[0-9a-f]{20,}",
    r"figd_[\w\-]{20,}",
    r"(?:sk|pk|tk)\.eyJ[\w\-.]{10,}",
    r"AGE-SECRET-KEY-1[0-9A-Z]{20,}",
    r"LS0tLS1CRUdJTi[\w+/=]{10,}",  # a PEM block in base64
    r"eyJ[\w\-]{6,}\.[\w\-]{6,}(?:\.[\w\-]*){0,3}",  # JSON web token
    r"\$(?:2[abxy]|5|6|argon2(?:id|i|d)|scrypt|y|apr1)\$[\w./$+=,]{16,}",  # password hashes
    r"(?:nvapi|rnd|fly|FlyV1|vercel|CFPAT|flb|FLWSECK|sk_ant|sfp|xkeysib|xsmtpsib|m0)[_\- ][\w\-]{16,}",
    r"(?:oy2|NuGet-)[0-9a-z]{43}",
    r"[\w\-~.]{3}[78]Q~[\w\-~.]{31,}",  # Azure client secret
    r"(?:A[0-9]|AP)-[0-9A-Za-z]{6}-[0-9A-Za-z]{6,}-[0-9A-Za-z\-]{10,}",  # 1Password, Artifactory
    r"ops_eyJ[\w+/=\-]{10,}",
)

# A word that announces a secret, then the secret. The word stays: it is what the reader needs.
_LABELLED: Final = (
    r"(?P<label>(?:passw(?:or)?d|passwd|passphrase|pwd|secret|credentials?|(?:api|access|account|private|signing|"
    r"encryption|auth|master|storage)[_\-. ]?key|authorization|cookie|session[_\-. ]?(?:id|key)|"
    r"(?<![a-z])(?:[a-z]{0,12}token|sig|pin|otp|cvv|dsn)(?![a-z]))[\w\-]{0,24}[\"']?\s{0,3}(?:=>|:=|[=:])\s{0,3}"
    r"(?:(?:bearer|basic|token|digest|negotiate|apikey)\s{1,3})?[\"']?)(?P<value>[^\s\"',;&}\])]{3,})"
)
_SCHEME: Final = r"(?P<scheme>\b(?:bearer|basic)\s{1,3})(?P<credential>[\w\-.~+/=]{8,})"
_URL: Final = r"(?P<url>[a-z0-9+.\-]{2,20}://)(?P<userinfo>[^\s/@:]*:[^\s@]+|[^\s/@:]{8,})(?=@)"
_PEM: Final = re.compile(
    r"-----BEGIN[^-]*(?:PRIVATE KEY|CERTIFICATE|PGP)[^-]*-----(?:.*?-----END[^-]*-----|.*)|PuTTY-User-Key-File.*",
    re.DOTALL,
)
_NUMBER: Final = re.compile(
    r"(?<![\w.\-])(?:(?:4\d{3}|5[1-5]\d{2}|3[47]\d{2}|6011)(?:[ \-]?\d{4}){2}[ \-]?\d{3,4}|\d{3}-\d{2}-\d{4})(?![\w\-])"
)
_PREFIX: Final = re.compile(rf"(?<![A-Za-z0-9])(?:{'|'.join(_SHAPES)})")
_WORDED: Final = re.compile(rf"{_URL}|{_LABELLED}|{_SCHEME}", re.IGNORECASE)
_WORD: Final = re.compile(r"[^\s\"'`,;()<>]{14,}")
_TOKEN: Final = re.compile(r"[A-Za-z0-9+/_\-]{20,}={0,2}")
_HEX: Final = re.compile(r"(?<![\w\-])(?:[0-9a-f]{32,}|[0-9A-F]{32,})(?![\w\-])")
_AWS_SECRET: Final = re.compile(r"[A-Za-z0-9+/]{40}")
_DIGITS: Final = re.compile(r"\d+")

# Provider call ids look random and are none: they are what a reader looks a call up by.
_CALL_ID: Final = re.compile(
    r"(?:call|toolu|tooluse|srvtoolu|fc|chatcmpl|msg|run|resp|rs|ws|ctc|adk|tool|thread|step)[_\-]", re.IGNORECASE
)

# Almost every string fails these cheap tests.
_SUSPECT: Final = re.compile(r"[\w\-+/.~$]{14}|[=:]\s{0,3}[\"']?\S|\d{3}[ \-]\d|(?i:bearer|basic) ")
_HAS_LABEL: Final = re.compile(r"[=:@]|(?i:bearer|basic) ")

_MIN_DIGIT_RUNS: Final = 3


def redact(text: str) -> str:
    """``text`` with everything that looks like a secret replaced by :data:`KEPT_OUT`.

    Made for short texts that people read: names, sentences, switches. Random-looking words go too,
    except provider call ids.
    """
    return _cached(text) if len(text) <= 512 else _redact(text)  # noqa: PLR2004 - long texts do not repeat


def redact_id(text: str) -> str:
    """As :func:`redact`, but a random-looking word stays: an id is one."""
    return _cached_id(text) if len(text) <= 512 else _redact_id(text)  # noqa: PLR2004 - as above


@lru_cache(maxsize=4096)
def _cached(text: str) -> str:
    return _redact(text)


@lru_cache(maxsize=4096)
def _cached_id(text: str) -> str:
    return _redact_id(text)


def _redact_id(text: str) -> str:
    return _known_shapes(text) if _SUSPECT.search(text) else text


def _redact(text: str) -> str:
    return _WORD.sub(_random_words, _known_shapes(text)) if _SUSPECT.search(text) else text


def _known_shapes(text: str) -> str:
    if "-----" in text or "PuTTY" in text:
        text = _PEM.sub(KEPT_OUT, text)
    if _HAS_LABEL.search(text):
        text = _WORDED.sub(_keep_label, text)
    return _NUMBER.sub(KEPT_OUT, _WORD.sub(_prefixed_words, text))


def _prefixed_words(match: re.Match[str]) -> str:
    return _PREFIX.sub(KEPT_OUT, match[0])


def _random_words(match: re.Match[str]) -> str:
    return _HEX.sub(KEPT_OUT, _TOKEN.sub(_random_looking, match[0]))


def _keep_label(match: re.Match[str]) -> str:
    return (match["label"] or match["scheme"] or match["url"]) + KEPT_OUT


def _random_looking(match: re.Match[str]) -> str:
    token = match[0]
    if _CALL_ID.match(token):
        return token
    mixed = any(c.isupper() for c in token) and any(c.islower() for c in token)
    runs = len(_DIGITS.findall(token))
    random = mixed and (runs >= _MIN_DIGIT_RUNS or (runs > 0 and _AWS_SECRET.fullmatch(token)))
    return KEPT_OUT if random else token
