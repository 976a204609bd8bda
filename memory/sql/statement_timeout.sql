SELECT current_setting('statement_timeout')
