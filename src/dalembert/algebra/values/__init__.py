"""Values of terms: components, random typed points in exact fields, and the verdict `is_zero`."""
