"""Other forms of a term: expanded, canonical, factored, collected, simplified, differentiated."""
