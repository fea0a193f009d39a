"""Motion through contacts: event-driven, with impacts and Coulomb friction, or by time stepping."""
