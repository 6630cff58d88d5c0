/** Lists the languages that questions are recognized in, with the frequent words that tell them, without accents. */

export interface Language {
  /** In English. */
  readonly name: string;
  /** Frequent words that name nothing, and that are no English words. */
  readonly words: string;
  /** The same, but proper names or English texts have them too: "de la", "die". */
  readonly weak: string;
  /** What questions are often about. */
  readonly topics: string;
  /** Says in it that questions are understood in English only. */
  readonly englishOnly: string;
}

export type LanguageCode = 'de' | 'fr' | 'es' | 'pt' | 'ja';

export const LANGUAGES: Readonly<Record<LanguageCode, Language>> = {
  de: {
    name: 'German',
    words: `wie viel viele wieviel wieviele welche welcher welches welchen welchem wer wann warum woher und oder nicht kein
      keine keinen ist sind waren wurde wurden wird werden haben hatten gibt gab es zeige zeig zeigen nenne bitte mir wir
      uns unser unsere unseren unserem unserer ihr ihre je jeder jede jedes jedem im vom zum zur beim nach seit bis
      zwischen uber unter ohne mit fur auf aus bei durch mehr weniger als letzten letzte letzter letztes vergangenen
      diesem dieser dieses diese diesen heute gestern hoch dem einer eines einem einen sich dass auch noch nur insgesamt
      meisten wenigsten hochsten hochste niedrigsten verglichen sowie davon pro`,
    weak: 'der die das den des ein eine von zu in an am war hat was',
    topics: `anzahl umsatz umsatze kunden kunde bestellungen bestellung durchschnitt durchschnittlich durchschnittliche
      durchschnittlichen monat monate monaten jahr jahre jahren woche wochen tage tagen quartal verkauft bestellt`,
    englishOnly: 'Ohne Sprachmodell verstehe ich nur Fragen auf Englisch: Bitte stellen Sie die Frage auf Englisch.',
  },
  fr: {
    name: 'French',
    words: `combien quel quelle quels quelles qui que quand pourquoi ou et sont etait etaient ete avons avez avec dans chez
      entre depuis jusqu apres par selon chaque notre votre leur leurs nous vous cette ces dernier derniere derniers
      dernieres montre montrez donne donnez affiche affichez moi moins tous toutes toute ne pas aujourd hui hier cours
      ils elles une meilleurs meilleures y`,
    weak: 'le la les de du des d l s un en est pour sur au aux ont sans plus a',
    topics: `nombre chiffre affaires commande commandes ventes moyen moyenne mois annee annees semaine semaines jours
      trimestre`,
    englishOnly:
      'Sans modèle de langage, je ne comprends que les questions en anglais : veuillez poser la question en anglais.',
  },
  es: {
    name: 'Spanish',
    words: `cuanto cuanta cuantos cuantas cual cuales que quien quienes cuando por donde fue fueron hubo tenemos tiene
      tienen esta estan es nuestro nuestra nuestros nuestras cada entre desde hasta segun menos pasado pasada ultimo
      ultima ultimos ultimas muestra muestrame dame todas hoy ayer una unos unas hicieron mejores menor`,
    weak: 'el la los las de del un en para su y con sin sobre al como mas son hay nos todos mayor se lo',
    topics: `numero ventas pedidos pedido clientes cliente ingresos promedio ano anos mes meses semana semanas dia dias
      trimestre`,
    englishOnly: 'Sin un modelo de lenguaje solo entiendo preguntas en inglés: haga la pregunta en inglés, por favor.',
  },
  pt: {
    name: 'Portuguese',
    words: `qual quanto quanta quantos quantas quais que quem quando onde por foi foram houve temos nosso nossa nossos nossas
      cada entre desde mais menos passado passada ultimo ultima ultimos ultimas mostre liste todas hoje ontem aos uma
      pelo pela pelos pelas nao voce fizeram maior menor melhores existem numa`,
    weak: 'o os as a e do de da dos das um em no na nos nas para com sem ao sao como tem segundo ate todos num',
    topics: `numero vendas pedidos pedido clientes cliente receita faturamento ano anos mes meses semana semanas dia dias
      trimestre`,
    englishOnly: 'Sem um modelo de linguagem, só entendo perguntas em inglês: faça a pergunta em inglês, por favor.',
  },
  ja: {
    name: 'Japanese',
    words:
      'ください です ます した ました いくら いくつ どの どれ それ これ ある あり あります する して から まで ごと について',
    weak: '',
    topics: '',
    englishOnly: '言語モデルが設定されていないため、英語の質問だけに答えられます。英語で質問してください。',
  },
};

export const LANGUAGE_CODES = Object.keys(LANGUAGES) as readonly LanguageCode[];

export const wordsOf = (list: string): string[] => list.split(/\s+/).filter(Boolean);

const frequent = new Map<LanguageCode, ReadonlySet<string>>();

/** Whether a word says nothing about what is asked for, such as "wie" and "der". `word`: folded. */
export function isFrequent(code: LanguageCode, word: string): boolean {
  let known = frequent.get(code);
  if (known === undefined) {
    const { words, weak } = LANGUAGES[code];
    known = new Set(wordsOf(`${words} ${weak}`));
    frequent.set(code, known);
  }
  // Particles and endings of Japanese.
  return known.has(word) || (code === 'ja' && /^[\u3040-\u309f]{1,2}$/.test(word));
}
