"""The workbench in the browser: edit on the left, see and understand on the right.

The server keeps no state but files: a page asks, a worker process answers, and a page that is reloaded asks again. What
the browser shows is one page of ours; the editor in it is CodeMirror, out of the wheel of NiceGUI.
"""

from dalembert.studio.project import Project
from dalembert.studio.serve import application, serve
