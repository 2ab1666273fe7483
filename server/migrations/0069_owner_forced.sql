-- no transaction
call force_tenants()
