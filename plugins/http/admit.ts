/** The door of the server, for what counts or refuses requests whatever they are about. */
import { type Route, series } from '../../kernel/index.ts';

export interface Admission {
  readonly route: Route;
  /** The client's address, an IPv4 address or an IPv6 one. */
  readonly ip: string;
}

/** Every request whose route exists. `scope.actor` is nobody for a public route and after a failed authentication. */
export const httpAdmit = series<Admission>('http.admit', {
  summary: 'Refuses a request at the door: rate limits, address lists.',
});
