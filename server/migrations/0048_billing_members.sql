-- Members within what the plan gives, however they come in or come back.
create trigger memberships_within_plan after insert on memberships for each row when (new.state = 'active') execute function hold_to_plan('members');
create trigger memberships_back_within_plan after update of state on memberships
  for each row when (new.state = 'active' and old.state <> 'active') execute function hold_to_plan('members');
