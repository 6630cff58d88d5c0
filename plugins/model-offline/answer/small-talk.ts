/** Answers what is said without data: greetings, help, what there is, what a term means. */
import type { Lexicon } from '../words/lexicon.ts';
import { tokenize } from '../words/tokenize.ts';
import { keyOf, nameWords } from '../words/words.ts';

const HELP =
  /^((hi|hello|hey)( there)?|good (morning|afternoon|evening)|help( me)?|what (can (you|i) (answer|do|ask( you| about)?|tell me)( about)?|(questions|kinds? of questions) can (you|i) (answer|ask)|are you|do you know)|how (does this|do you|do i use this) work|who are you|((show|give) me )?(some )?examples?)$/;
const SCHEMA =
  /^(what|which|list|show|describe)( all| the| me)* (tables|entities|data( ?sets)?|schema|database|data model|information)( (are|is) (there|available)| do (you|we) (have|know)| exist)?$/;
const MEANING =
  /^(?:what (?:does|do|is the (?:meaning|definition) of|is meant by) (?:an? |the )?(.+?)(?: mean| stand for)?|(?:define|explain) (?:the term )?(.+)|how (?:is|are) (.+?) (?:defined|calculated|computed))$/;

const [NAMED, LISTED] = [12, 40];

/** The answer to a message that asks for no data; `undefined` when it may ask for some. */
export function smallTalk(message: string, lexicon: Lexicon, examples: () => readonly string[]): string | undefined {
  const words = tokenize(message).filter(({ kind }) => kind !== 'sign');
  const plain = words.map(({ word }) => word).join(' ');
  const entities = [...lexicon.entities.values()];
  if (/^(thanks|thank you|thx|cheers)\b/.test(plain) && words.length < 5) return 'You are welcome.';
  if (HELP.test(plain)) {
    const names = entities.slice(0, NAMED).map(({ many }) => many);
    const asked = examples().map((question) => `- ${question}`);
    return `I answer questions in English about ${names.join(', ')}${entities[NAMED] ? ' and more' : ''}, from the database, without a language model. For example:\n${asked.join('\n')}`;
  }
  if (SCHEMA.test(plain)) {
    const lines = entities.map(({ name, model, many }) => `- ${name}: ${model.description || model.grain || many}`);
    return `There is data about:\n${lines.slice(0, LISTED).join('\n')}${lines[LISTED] ? '\n…' : ''}`;
  }
  const subject = MEANING.exec(plain)?.slice(1).find(Boolean);
  const term = lexicon.phrases.get(keyOf(nameWords(subject ?? '')))?.find((one) => one.kind === 'term')?.term;
  const meanings = (term?.meanings ?? []).map((one) => `- ${typeof one === 'string' ? one : one.name}`);
  return term && [`${term.term}: ${term.definition ?? 'It has these meanings.'}`, ...meanings].join('\n');
}
