"""What metrics and checks read: tables of the users of a part, each declared once and made when it is asked for."""
