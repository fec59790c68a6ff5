"""The `caveat` command: the last boundary, behind which nobody sees a traceback."""

import gc
import os
import signal
import sys


def main() -> None:
    # An import may swallow the exception that Ctrl-C otherwise is; nothing is begun yet that the
    # signal itself could harm. Event loops set handlers of their own and leave Python's behind.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.umask(0o077)  # what is kept is this user's alone, the embedded server's files included
    # Nothing that an import makes is ever garbage: looking for it takes a tenth of a short command.
    gc.disable()
    try:
        from caveat.clients.cli.boundary import run_app  # noqa: PLC0415  # only now is Ctrl-C quiet

        code = run_app(sys.argv[1:])
    except KeyboardInterrupt:
        code = 130  # 128 and the number of SIGINT
    gc.freeze()  # nor has the interpreter to look for garbage before it ends
    sys.exit(code)


if __name__ == "__main__":
    main()
