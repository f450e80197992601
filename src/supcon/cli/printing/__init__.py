"""What commands print: tables of results, plans and estimates."""
