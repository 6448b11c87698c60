/** Names of claims as ADFS and Entra send them. */
export const CLAIMS_URI = {
  email: 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress',
  upn: 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/upn',
  name: 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/name',
  givenName: 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/givenname',
  displayName: 'http://schemas.microsoft.com/identity/claims/displayname',
} as const;
