"""`python -m sociolab`, the same as the command `sociolab`."""

from sociolab.cli.main import main

main()
