-- Agents within what the plan gives.
create trigger agents_within_plan after insert on agents for each row execute function hold_to_plan('agents');
