/** Says how MySQL URLs of connections are read that are made while the service runs. */
import type { DatasourceEngine } from '../datasource-kit/index.ts';
import { MysqlConnectionOptions } from './options.ts';
import { MYSQL_SCHEMES } from './schemes.ts';
import { assertRemoteMysqlUrl, parseMysqlUrl } from './url.ts';

export const MYSQL_ENGINE: Omit<DatasourceEngine, 'open'> = {
  dbType: 'mysql',
  schemes: MYSQL_SCHEMES,
  options: MysqlConnectionOptions,
  locate(url) {
    assertRemoteMysqlUrl(url);
    const { database = '', ...target } = parseMysqlUrl(url);
    return { ...target, database };
  },
};
