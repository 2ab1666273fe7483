-- What a member said in Discuss goes with the membership.
create trigger memberships_forget_discuss after update of state on memberships
  for each row when (new.state in ('removed', 'left')) execute function forget_discuss();
