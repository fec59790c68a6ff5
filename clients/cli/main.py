"""The `caveat` command: the last boundary, behind which nobody sees a traceback."""

import sys


def main() -> None:
    """Run the command and leave with its exit code."""
    try:
        # Here, so that Ctrl-C is quiet from the first moment on.
        from clients.cli.boundary import run_app  # noqa: PLC0415

        code = run_app(sys.argv[1:])
    except KeyboardInterrupt:
        code = 130  # 128 and the number of SIGINT
    sys.exit(code)


if __name__ == "__main__":
    main()
