/** Defines what a chat platform is: a name, and how it says whose bot token it is. */

/** What an administrator enters. */
export interface BotCredentials {
  readonly botToken: string;
  readonly applicationId: string;
  readonly publicKey: string;
}

export interface ChatPlatform {
  /** As paths name it: `slack`. */
  readonly name: string;
  /** As messages name it: `Slack`. */
  readonly label: string;
  /**
   * Asks the platform whose token it is. Resolves to the bot's name. Rejects with `invalid_bot_token` where the platform
   * refuses it, with `platform_unreachable` where it does not answer.
   */
  verify(credentials: BotCredentials, signal: AbortSignal): Promise<string>;
}
