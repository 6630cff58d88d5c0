/** Lists the words of twenty languages that make a number a date or multiply it. Taken from the CLDR, as `Intl` has it. */

/** Months, long and short, in lower case. */
export const MONTHS: readonly string[] = (
  'ara kas lis abr abril agosto agu agustus août apr april aprile aprilie aralık aug august augusti augustus augusztus ' +
  'avr avril ağu ağustos bře březen března cze czerwca czerwiec dec december decembrie des desember dez ' +
  'dezember dezembro dic dicembre diciembre dub duben dubna déc décembre eki ekim elo elokuu elokuuta ene ' +
  'enero eyl eylül feb febbraio febr febrero februar februari februarie february február fev fevereiro févr ' +
  'février gen gennaio giu giugno gru grudnia grudzień haz haziran heinä heinäkuu heinäkuuta helmi helmikuu ' +
  'helmikuuta huhti huhtikuu huhtikuuta ian ianuarie iul iulie iun iunie jan janeiro januar januari january ' +
  'január janv janvier joulu joulukuu joulukuuta juil juillet juin jul julho juli julio july jun june junho ' +
  'juni junio júl július jún június kasım kesä kesäkuu kesäkuuta kvě květen května kwi kwiecień kwietnia ' +
  'leden ledna lip lipca lipiec listopad listopada listopadu loka lokakuu lokakuuta lug luglio lut lutego ' +
  'luty maalis maaliskuu maaliskuuta maart mag maggio mai maio maj maja mar marca march maret marras ' +
  'marraskuu marraskuuta mars mart martie marts marzec marzo março may mayo mayıs mei mrt máj május márc ' +
  'március mär märz nis nisan noiembrie nov november novembre novembro noviembre oca ocak oct october ' +
  'octobre octombrie octubre okt oktober október ott ottobre outubro paź październik października prosince ' +
  'prosinec sep sept september septembre septembrie septiembre setembro settembre sie sierpień sierpnia srp ' +
  'srpen srpna sty styczeń stycznia syys syyskuu syyskuuta szept szeptember tammi tammikuu tammikuuta tem ' +
  'temmuz touko toukokuu toukokuuta wrz wrzesień września zář září ápr április úno únor února červen ' +
  'července červenec června čvc čvn říj říjen října şub şubat авг август августа апр апрель апреля бер ' +
  'березень березня вер вересень вересня груд грудень грудня дек декабрь декабря жовт жовтень жовтня июл ' +
  'июль июля июн июнь июня квіт квітень квітня лип липень липня лист листопад листопада лют лютий лютого ' +
  'май мар март марта мая нояб ноябрь ноября окт октябрь октября сент сентябрь сентября серп серпень серпня ' +
  'січ січень січня трав травень травня февр февраль февраля черв червень червня янв январь января '
)
  .trim()
  .split(' ');

const SCALES: readonly (readonly [scale: number, words: string])[] = [
  [
    1000,
    'k thousand tausend millier mille mil mila duizend tn tusen t tusind tuhatta tys tysiąca tysiące tysięcy ' +
      'tis tisíce tisíc тыс тысячи тысяч тис тисячі тисяч b bin e ezer mii rb ribu n nghìn 천 हज़ार thousands ' +
      'tsd ',
  ],
  [10000, '万 만 萬 '],
  [100000, 'लाख l lakh lakhs lac '],
  [
    1e6,
    'mil m million mio millionen millions millones mi milhão milhões mln milioni miljoen mn miljoner ' +
      'millioner mill milj miljoonaa miliona miliony milionów milionu milionů млн миллиона миллионов мільйона ' +
      'мільйони мільйонів milyon millió milioane jt juta tr triệu mm millón milione miljon ',
  ],
  [1e7, 'क॰ करोड़ cr crore crores '],
  [1e8, '億 억 亿 '],
  [
    1e9,
    't b m billion mrd milliarden md milliard milliards bi bilhão bilhões mld miliardi miljard miljarder mia ' +
      'milliarder miljardia miliarda miliardy miliardów miliard млрд миллиарда миллиардов мільярда мільярди ' +
      'мільярдів mr milyar milliárd miliarde miliar tỷ अ॰ अरब bn billions milliarde ',
  ],
  [1e11, 'ख॰ खरब '],
  [
    1e12,
    'tn t b billion trillion bio billionen bn billions billones tri trilhão trilhões bln biljoen biljoner ' +
      'billioner bill bilj biljoonaa biliona bilionów bil bilionu bilionů трлн триллиона триллионов трильйона ' +
      'трильйонів trilyon billió tril trilioane triliun nt 兆 조 万亿 lcr trillions ',
  ],
];

/** The longest word that may also be a unit, and then multiplies nothing. */
const UNIT_LENGTH = 2;

/** What a word or letter behind a number may multiply it by, the same word in several languages. */
export const SCALE_WORDS: ReadonlyMap<string, readonly number[]> = scaleWords();

function scaleWords(): Map<string, readonly number[]> {
  const byWord = new Map<string, readonly number[]>();
  for (const [scale, words] of SCALES) {
    for (const word of words.trim().split(' ')) byWord.set(word, [...(byWord.get(word) ?? []), scale]);
  }
  for (const [word, scales] of byWord) {
    if (word.length <= UNIT_LENGTH && /^[a-z]+$/.test(word) && word !== 'k') byWord.set(word, [...scales, 1]);
  }
  return byWord;
}
