"""Motion through contacts: event-driven, with impacts and Coulomb friction, or by Moreau-Jean time stepping."""
