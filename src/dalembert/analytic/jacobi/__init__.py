"""Hamilton-Jacobi: complete integrals, separation, actions and angles, fronts and waves."""
