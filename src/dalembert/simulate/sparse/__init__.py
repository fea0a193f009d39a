"""Large closed machines in machine code: a sparse solve whose elimination order and fill are found once."""
