/** The parts that authentication and authorization plugins are built with: credentials, roles, rights and claims. */
export { claimAt, claimsOf } from './claims.ts';
export { apiKey, bearerToken } from './credentials.ts';
export { CREDENTIALS_REJECTED, ROLE_TOO_LOW, rejectedCredentials } from './errors.ts';
export { type AbsentActor, authLookup, lookUpActor, type PresentIdentity, present, refused } from './hooks.ts';
export { previewedBy } from './preview.ts';
export { allRightsOf, authorize, grantableRights, hasRight, rightsOf } from './rights.ts';
export { isRole, type Role, roleAtLeast, roles } from './roles.ts';
export { SYSTEM_ACTOR } from './system-actor.ts';
