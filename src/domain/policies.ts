/** A file of policies, as it was written. */
export interface PolicyFile {
  file: string;
  text: string;
}

/** The policy sets of a tenant, by hash. */
export interface TenantPolicies {
  /** The one that decides; the installation's policies where there is none. */
  active?: string | undefined;
  /** One that is tried beside it, and decides nothing. */
  shadow?: string | undefined;
}

/** A set that a tenant chose and that cannot be used. */
export interface RefusedPolicySet {
  /** Its hash. */
  policySet: string;
  why: string;
}
