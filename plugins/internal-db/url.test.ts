import { describe, expect, it } from 'vitest';
import { parseDatabaseUrl } from './url.ts';

const read = (text: string) => parseDatabaseUrl(text, '/srv');

describe('DATABASE_URL', () => {
  it.each([
    ['sqlite:atlas.db', '/srv/atlas.db'],
    ['sqlite:./data/atlas.db', '/srv/data/atlas.db'],
    ['sqlite:/var/atlas.db', '/var/atlas.db'],
    ['sqlite:///var/my%20atlas.db', '/var/my atlas.db'],
    ['sqlite://data/atlas.db', '/srv/data/atlas.db'],
    [' SQLite:100%.db ', '/srv/100%.db'],
  ])('%s', (text, path) => {
    expect(read(text)).toEqual({ dialect: 'sqlite', path });
  });

  it.each(['postgres://user:pass@db.example:6543/atlas', 'postgresql://user:pass@db.example:6543/atlas'])(
    '%s',
    (text) => {
      expect(read(text)).toMatchObject({
        dialect: 'postgres',
        server: { host: 'db.example', port: 6543, database: 'atlas', user: 'user', password: 'pass' },
      });
    },
  );

  it.each([
    ['mysql://user:geheim@host/db', 'neither "postgres://" nor "sqlite:"'],
    ['geheim', 'neither'],
    ['sqlite:', 'names no file'],
    ['sqlite:geheim/', 'names no file'],
    ['sqlite::memory:', 'forget everything'],
    ['sqlite://:memory:', 'forget everything'],
    ['sqlite:geheim.db?mode=ro', 'takes no parameters'],
    ['sqlite:///geheim%zz.db', 'a "%" that encodes nothing'],
    ['sqlite:geheim\0.db', 'a null byte'],
    ['postgres://user:geheim@host:99999/db', 'it is no URL'],
    ['postgres://user:geheim@host/db?colour=red', 'a parameter that is not known'],
    ['postgres://:geheim@host/db', 'names no user'],
  ])('refuses %s without repeating it', (text, why) => {
    const error = (() => {
      try {
        return read(text);
      } catch (caught) {
        return caught as Error;
      }
    })() as Error;
    expect(error).toMatchObject({ code: 'configuration_error', hint: expect.stringContaining('postgres://') });
    expect(error.message).toMatch(/^The URL of the internal database \(DATABASE_URL\) cannot be used: .+[^.]\.$/);
    expect(error.message).toContain(why);
    expect(`${error.message}${error.stack}`).not.toContain('geheim');
  });
});
