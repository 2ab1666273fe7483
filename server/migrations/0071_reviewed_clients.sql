-- Set where the operator registered the client: its callbacks may be https, its name is verified, and the sweep leaves it.
alter table oauth_clients add column reviewed_at timestamptz;
