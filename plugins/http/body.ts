/** Reading request bodies: JSON in UTF-8, nothing else unless a plugin's route asks for the raw bytes. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AtlasError } from '../../kernel/index.ts';
import { refuseNullCharacters } from './validation.ts';

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
const [QUOTE, OPEN_BRACKET, BACKSLASH, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [34, 91, 92, 93, 123, 125];

/** Throws `validation_error` for JSON that functions which call themselves could not follow. */
function refuseDeepNesting(json: string): void {
  // Every level has two brackets.
  if (json.length <= 2 * MAX_DEPTH) return;
  let depth = 0;
  let isText = false;
  // A regular expression takes fifty times as long for a text full of escapes.
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) isText = !isText;
    else if (isText) at += code === BACKSLASH ? 1 : 0;
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) depth += 1;
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth -= 1;
    if (depth > MAX_DEPTH) {
      const message = `The request body is nested more than ${MAX_DEPTH} levels deep.`;
      throw new AtlasError(message, {
        code: 'validation_error',
        details: [{ path: '', message: 'is nested too deeply' }],
      });
    }
  }
}

/** Teaches the server JSON. An empty body is no body; the bytes are kept where `keepsRaw` says so. */
export function addJsonParser(app: FastifyInstance, keepsRaw: (request: FastifyRequest) => boolean): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  const utf8 = new TextDecoder('utf-8', { fatal: true });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>(JSON_TYPE, { parseAs: 'buffer' }, (request, bytes, done) => {
    if (keepsRaw(request)) request.rawBody = bytes;
    if (bytes.length === 0) return done(null, undefined);
    let text: string;
    try {
      text = utf8.decode(bytes);
    } catch {
      return done(new AtlasError('The request body is not valid UTF-8.', { code: 'invalid_request' }));
    }
    try {
      refuseDeepNesting(text);
    } catch (fault) {
      return done(fault as Error);
    }
    return parse(request, text, (error, value) => {
      if (error !== null) return done(error);
      try {
        refuseNullCharacters(text, value);
      } catch (fault) {
        return done(fault as Error);
      }
      done(null, value);
    });
  });
}
