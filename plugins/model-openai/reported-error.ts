/** Reads what a server says in a reply with status 200 that is no answer, or in place of an event of one. */
import { APICallError } from '@ai-sdk/provider';
import { statusOfReport } from '../model-kit/index.ts';
import { isObject, jsonObject } from './event-lines.ts';

type Json = Record<string, unknown>;

const NO_MESSAGE = 'The server reported an error.';
/** Longest text of a server that is kept for the log. */
const MAX_CHARS = 1_000;
const WORDS = /^[^"\d]{0,20}\p{L}{3}/u;

/** The failure that a server reports inside an answer, with the status that it would have had. */
export function reportedError(error: unknown): APICallError {
  const report = isObject(error) ? error : { message: error };
  return new APICallError({
    message: typeof report.message === 'string' ? report.message : NO_MESSAGE,
    url: '',
    requestBodyValues: undefined,
    statusCode: statusOfReport(report),
    isRetryable: false,
    data: { error: report },
  });
}

/** What a server says where it neither answers nor names an error: `{"success": false, "message": "…"}`. */
export function failureIn(body: Json): APICallError | undefined {
  if (body.error != null) return reportedError(body.error);
  const { code, usage, message, msg, detail, base_resp: response } = body;
  if (usage != null || code === 0) return undefined;
  const status = isObject(response) && response.status_code !== 0 ? response.status_msg : undefined;
  const said = [message, msg, detail, status].find((item) => typeof item === 'string' && item !== '');
  return said === undefined ? undefined : reportedError({ ...body, message: said });
}

/** An event as an object. Throws what the server says in place of one. */
export function eventObject(data: string): Json {
  const sent = jsonObject(data);
  if (sent !== undefined) return sent;
  if (data.startsWith('{') && !data.endsWith('}')) throw new Error('An event broke off.');
  throw WORDS.test(data) ? reportedError(data.slice(0, MAX_CHARS)) : new Error('An event is not a JSON object.');
}

/** The error for a body without an answer; a web page, as gateways and wrong base URLs send it, is told apart. */
export function noAnswer(body: string): Error {
  if (body.trim() === '') return new Error('The reply broke off.');
  if (/^\s*<(?:!doctype|html|head|body)/i.test(body.slice(0, 200))) return new Error('An <html> page was sent.');
  if (!WORDS.test(body)) return new Error('No answer was sent.');
  const report = reportedError(body.slice(0, MAX_CHARS));
  // Words that name no failure are no reply of this API at all.
  return report.statusCode === 500 ? new Error(`What was sent is not valid JSON: ${report.message}`) : report;
}
