"""Teaching: derivations that explain themselves, students' derivations marked line by line, graded exercises."""
