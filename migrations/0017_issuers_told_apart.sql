-- A token may name several audiences, and then fall under rows of any of them: between tenants another audience tells
-- nothing apart, only one claim with another value does. Where rows that one token could be meant for are there from
-- before, the oldest has it. Of its own rows, a tenant may have one for each audience.
CREATE OR REPLACE FUNCTION tell_issuers_apart() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  -- ADVISORY_LOCKS.trustedIssuers
  PERFORM pg_advisory_xact_lock(1734440038, hashtext(NEW.issuer));
  IF EXISTS (
    SELECT FROM trusted_issuers other
    WHERE other.issuer = NEW.issuer AND (other.audience = NEW.audience OR other.tenant_id <> NEW.tenant_id) AND NOT coalesce(
      other.tenant_claim = NEW.tenant_claim AND other.tenant_claim_value <> NEW.tenant_claim_value, false
    )
  ) THEN
    RAISE EXCEPTION 'tokens of this issuer could be meant for another row' USING
      ERRCODE = 'unique_violation', CONSTRAINT = 'trusted_issuers_told_apart';
  END IF;
  RETURN NEW;
END
$$;
