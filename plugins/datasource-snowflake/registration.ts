/** Says how Snowflake URLs of connections are read that are made while the service runs. */
import type { DatasourceEngine } from '../datasource-kit/index.ts';
import { SnowflakeConnectionOptions } from './options.ts';
import { SNOWFLAKE_SCHEMES } from './schemes.ts';
import { parseSnowflakeUrl } from './url.ts';

export const SNOWFLAKE_ENGINE: Omit<DatasourceEngine, 'open'> = {
  dbType: 'snowflake',
  schemes: SNOWFLAKE_SCHEMES,
  options: SnowflakeConnectionOptions,
  locate(url) {
    const { host, port, user, tokenType, secret, database, schema } = parseSnowflakeUrl(url, true);
    // A secret that is kept is one of this way to log in: as a token, a private key would leave this server.
    return { host, port, user: `${user} ${tokenType}`, password: secret, database: `${database}/${schema}` };
  },
};
