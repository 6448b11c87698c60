-- A token that is marked as revoked is refused everywhere: the one is not written without the other, whoever writes it.
-- The function runs as the owner of the tables, since people's role may not write `token_revocations` itself.
CREATE FUNCTION refuse_revoked_token() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  -- ADVISORY_LOCKS.revocations: one at a time, so that no smaller number becomes visible after a greater one was read.
  PERFORM pg_advisory_xact_lock(444016649475);
  INSERT INTO token_revocations (token_id, expires_at) VALUES (NEW.token_id, NEW.expires_at) ON CONFLICT (token_id) DO NOTHING;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER revoked AFTER UPDATE OF revoked_at ON access_tokens FOR EACH ROW
  WHEN (OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL) EXECUTE FUNCTION refuse_revoked_token();
--> statement-breakpoint
-- Two rows of one issuer and one audience are told apart by the value of one claim. Otherwise a token could be meant for
-- either, and whoever adds the second row could take, or stop, the tokens of the first. Who trusts an issuer already is
-- only seen as the owner of the tables.
CREATE FUNCTION tell_issuers_apart() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  -- ADVISORY_LOCKS.trustedIssuers
  PERFORM pg_advisory_xact_lock(1734440038, hashtext(NEW.issuer));
  IF EXISTS (
    SELECT FROM trusted_issuers other
    WHERE other.issuer = NEW.issuer AND other.audience = NEW.audience AND NOT coalesce(
      other.tenant_claim = NEW.tenant_claim AND other.tenant_claim_value <> NEW.tenant_claim_value, false
    )
  ) THEN
    RAISE EXCEPTION 'tokens of this issuer and audience could be meant for another row' USING
      ERRCODE = 'unique_violation', CONSTRAINT = 'trusted_issuers_told_apart';
  END IF;
  RETURN NEW;
END
$$;
--> statement-breakpoint
CREATE TRIGGER told_apart BEFORE INSERT ON trusted_issuers FOR EACH ROW EXECUTE FUNCTION tell_issuers_apart();
