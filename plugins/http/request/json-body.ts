/**
 * Reads request bodies: JSON in UTF-8, and HTML forms for routes that take them. The raw bytes are kept where a plugin's
 * route asks for them.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import { AtlasError, type Route } from '../../../kernel/index.ts';
import type { RequestBodies } from '../connections/request-bodies.ts';
import { refuseNullCharacters } from './null-characters.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The body's bytes as received, where the route keeps them. */
    rawBody: Buffer | undefined;
  }
  interface FastifyContextConfig {
    rawBody?: Route['rawBody'];
  }
}

/** The body of a route that gets the bytes first: reads them as JSON, or throws what is wrong with them. */
export type ReadBody = () => unknown;

const JSON_TYPE = /^application\/(?:[\w.!#$&^-]+\+)?json\s*(?:;|$)/i;
const CHARSET = /;\s*charset\s*=\s*"?([^";\s]+)/i;

/** Refuses what the body parser would read wrongly: an encoding or a character set that is not supported. */
export function checkBodyEncoding({ method, headers }: FastifyRequest): void {
  if (method === 'GET' || method === 'HEAD') return;
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new AtlasError('Compressed request bodies are not supported.', {
      code: 'unsupported_media_type',
      hint: 'Send the body without Content-Encoding.',
    });
  }
  const charset = CHARSET.exec(headers['content-type'] ?? '')?.[1];
  if (charset !== undefined && !/^(utf-?8|us-ascii)$/i.test(charset)) {
    throw new AtlasError(`Request bodies in ${charset} are not supported.`, {
      code: 'unsupported_media_type',
      hint: 'Send JSON in UTF-8.',
    });
  }
}

const MAX_DEPTH = 100;
/** An object with tens of thousands of keys takes a second to look through. */
const MAX_KEYS = 1_000;
/** What a list or an object takes once it is read, and a value in it: `{}` is two bytes long. */
const CONTAINER_BYTES = 64;
const VALUE_BYTES = 16;
const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const OPENING = [0x5b, 0x7b];
const CLOSING = [0x5d, 0x7d];

/** Position of the quote that ends the text which begins after `from`; the end of the document when none does. */
function endOfText(json: string, from: number): number {
  for (let at = json.indexOf('"', from + 1); at >= 0; at = json.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (json.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return at;
  }
  return json.length;
}

function refuseShape(message: string, detail: string): never {
  throw new AtlasError(message, { code: 'validation_error', details: [{ path: '', message: detail }] });
}

/**
 * Throws `validation_error` for a document that functions which call themselves could not follow, or that would hold
 * up all others. Asked before it is parsed. Returns how many bytes it takes then, beside those of its texts.
 */
function checkedSize(json: string): number {
  /** How many commas each open list or object has so far; how long a list is does not matter. */
  const commas: number[] = [];
  let bytes = 0;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfText(json, at);
    } else if (code === COMMA) {
      bytes += VALUE_BYTES;
      const depth = commas.length - 1;
      commas[depth] = (commas[depth] ?? 0) + 1;
      if ((commas[depth] as number) < MAX_KEYS) continue;
      refuseShape(
        `The request body has an object with more than ${MAX_KEYS} keys.`,
        'has an object with too many keys',
      );
    } else if (OPENING.includes(code)) {
      bytes += CONTAINER_BYTES;
      commas.push(code === OPENING[0] ? Number.NEGATIVE_INFINITY : 0);
      if (commas.length <= MAX_DEPTH) continue;
      refuseShape(`The request body is nested more than ${MAX_DEPTH} levels deep.`, 'is nested too deeply');
    } else if (CLOSING.includes(code)) {
      commas.pop();
    }
  }
  return bytes;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function tooMany(): AtlasError {
  return new AtlasError('Too many large requests run at once.', {
    code: 'overloaded',
    retryAfterSeconds: 2,
    hint: 'Try again shortly.',
  });
}

/** Teaches the server JSON. An empty body is no body. */
function addJsonParser(app: FastifyInstance, bodies: RequestBodies): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  const read = (request: FastifyRequest, bytes: Buffer): unknown => {
    if (bytes.length === 0) return undefined;
    let text: string;
    try {
      text = utf8.decode(bytes);
    } catch {
      throw new AtlasError('The request body is not valid UTF-8.', { code: 'invalid_request' });
    }
    if (!bodies.hold(request.raw.socket, checkedSize(text))) throw tooMany();
    let fault: Error | null = null;
    let value: unknown;
    parse(request, text, (error, parsed) => {
      fault = error;
      value = parsed;
    });
    if (fault !== null) throw fault;
    refuseNullCharacters(text, value);
    return value;
  };
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>(JSON_TYPE, { parseAs: 'buffer' }, (request, bytes, done) => {
    const { rawBody } = request.routeOptions.config;
    if (rawBody !== undefined && rawBody !== false) request.rawBody = bytes;
    if (rawBody === 'first') return done(null, (() => read(request, bytes)) satisfies ReadBody);
    let value: unknown;
    try {
      value = read(request, bytes);
    } catch (fault) {
      return done(fault as Error);
    }
    done(null, value);
  });
}

const FORM_TYPE = 'application/x-www-form-urlencoded';
/** Further ones are not read. */
const MAX_FIELDS = 1_000;

/** Reads forms; where several fields have the same name, the first counts. */
function addFormParser(app: FastifyInstance): void {
  app.addContentTypeParser<string>(FORM_TYPE, { parseAs: 'string' }, (request, text, done) => {
    if (request.routeOptions.config.rawBody !== 'form') {
      return done(
        new AtlasError('This address does not accept HTML forms.', {
          code: 'unsupported_media_type',
          hint: 'Send JSON with the header "content-type: application/json".',
        }),
      );
    }
    const fields = [...new URLSearchParams(text.split('&', MAX_FIELDS).join('&'))].reverse();
    done(null, Object.fromEntries(fields));
  });
}

/** Tools that send nothing, such as `curl -d ''`, name a type all the same; without one it is no body. */
function ignoreTypeOfNothing({ headers }: FastifyRequest): void {
  if (headers['content-length'] === '0' && !JSON_TYPE.test(headers['content-type'] ?? '')) {
    delete headers['content-type'];
  }
}

export interface JsonBodyOptions {
  readonly bodies: RequestBodies;
}

export const jsonBody = fastifyPlugin<JsonBodyOptions>(
  async (app, { bodies }) => {
    app.decorateRequest('rawBody');
    addJsonParser(app, bodies);
    addFormParser(app);
    app.addHook('onRequest', (request, _reply, done) => {
      checkBodyEncoding(request);
      ignoreTypeOfNothing(request);
      done();
    });
    app.addHook('preParsing', ({ method, headers, raw: { socket } }, { raw: response }, payload, done) => {
      if (method === 'GET' || method === 'HEAD') return done(null, payload);
      if (!bodies.hasRoom(socket, Number(headers['content-length'] ?? 0))) return done(tooMany());
      const isAccepted = bodies.arriving(socket);
      payload.on('data', (part: Buffer) => {
        if (!isAccepted(part)) socket.resetAndDestroy();
      });
      response.once('close', () => bodies.forget(socket));
      done(null, payload);
    });
  },
  { name: 'json-body', dependencies: ['request-scope'] },
);
