"""`python -m dalembert`: the command line where no script is installed."""

from dalembert.cli import main

main()
