-- Options of quotes are kept in a shorter form. A quote is good for minutes: those of before are asked for again.
delete from quotes;
