//! The 20 tools of tests/benches/tokens.rs.

#![allow(
    clippy::needless_pass_by_value,
    clippy::unused_async,
    clippy::wildcard_imports,
    dead_code,
    unused_variables,
    reason = "the tools are only described, and one list of types serves three libraries"
)]

declare! {
    /// Look up the current weather of a city.
    GetWeather: fn get_weather(
        /// City name, for example "Beijing".
        city: String,
        unit: Option<Unit>,
    );
    /// Search the web and return the best results.
    SearchWeb: fn search_web(
        /// The text to find.
        query: String,
        /// How many results, at most 20.
        limit: Option<u8>,
        /// Only of this site.
        site: Option<String>,
    );
    /// Read a file of the workspace.
    ReadFile: fn read_file(
        /// Relative to the root of the workspace.
        path: String,
        /// The first line, from 1.
        from: Option<u32>,
        to: Option<u32>,
    );
    /// Replace text in a file.
    EditFile: fn edit_file(path: String, edits: Vec<Edit>);
    /// Run a command in the shell.
    RunCommand: fn run_command(
        command: String,
        /// In seconds.
        timeout: Option<u32>,
        background: bool,
    );
    /// List the files of a folder.
    ListFiles: fn list_files(path: Option<String>, recursive: bool, pattern: Option<String>);
    /// Send an e-mail.
    SendMail: fn send_mail(to: Vec<String>, subject: String, body: String, priority: Option<Priority>);
    /// Create an event in the calendar.
    CreateEvent: fn create_event(
        title: String,
        /// As RFC 3339.
        start: String,
        end: String,
        attendees: Vec<Attendee>,
        repeat: Option<Repeat>,
    );
    /// Find events in the calendar.
    FindEvents: fn find_events(from: String, to: String, text: Option<String>);
    /// Open an issue in a repository.
    CreateIssue: fn create_issue(
        owner: String,
        repository: String,
        title: String,
        body: Option<String>,
        labels: Vec<String>,
    );
    /// List the issues of a repository.
    ListIssues: fn list_issues(owner: String, repository: String, state: Option<State>, page: Option<u32>);
    /// Query the database. Only SELECT is allowed.
    QueryDatabase: fn query_database(sql: String, parameters: Vec<Parameter>);
    /// Convert an amount of money.
    ConvertCurrency: fn convert_currency(amount: f64, from: String, to: String);
    /// Book a flight.
    BookFlight: fn book_flight(route: Route, passengers: Vec<Passenger>, class: Class);
    /// Find a hotel.
    FindHotel: fn find_hotel(city: String, nights: u8, stars: Option<u8>, near: Option<Coordinates>);
    /// Translate a text.
    Translate: fn translate(text: String, to: String);
    /// Return what time it is.
    GetTime: fn get_time(
        /// Of the IANA time zone database.
        zone: Option<String>,
    );
    /// Draw a picture from a description.
    DrawPicture: fn draw_picture(description: String, size: Option<Size>, count: Option<u8>);
    /// Remember a fact about the user.
    Remember: fn remember(fact: String, tags: Vec<String>);
    /// Place an order in the shop.
    PlaceOrder: fn place_order(items: Vec<Item>, address: Address, note: Option<String>);
}
