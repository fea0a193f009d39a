"""The report of a machine: one document to read from top to bottom, as a page, on paper, or as LaTeX."""

from dalembert.view.report.blocks import Code, Film, Formulas, Note, Picture, Report, Section, Table, Text
from dalembert.view.report.study import Study, make_report
from dalembert.view.report.write import SUFFIXES, check_report_name, find_browser, write_report
