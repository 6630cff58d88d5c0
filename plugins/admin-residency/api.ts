/** Declares the service of the plugin. */
export interface ResidencyApi {
  /** Where an organization's data are; `null`: what belongs to none. Rejects with `not_available` without a database. */
  regionOf(orgId: string | null): Promise<string>;
}
