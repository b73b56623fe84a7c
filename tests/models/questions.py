"""The questions of the measurement: tools, what a user asks, and the right call."""

STRING, INTEGER, NUMBER, BOOLEAN = ({"type": name} for name in ["string", "integer", "number", "boolean"])


def one_of(*values):
    return {"type": "string", "enum": list(values)}


def list_of(items):
    return {"type": "array", "items": items}


def tool(name, description, required, optional=None):
    """A definition in the form of Chat Completions."""
    parameters = {
        "type": "object",
        "properties": {**required, **(optional or {})},
        "required": list(required),
        "additionalProperties": False,
    }
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}


TOOLS = [
    tool("get_forecast", "Look up the weather forecast of a city.", {"city": STRING, "days": INTEGER}, {"unit": one_of("celsius", "fahrenheit")}),
    tool("convert_currency", "Convert an amount of money.", {"amount": NUMBER, "from_currency": STRING, "to_currency": STRING}),
    tool("find_flights", "Find flights between two cities.", {"origin": STRING, "destination": STRING, "passengers": INTEGER}, {"cabin": one_of("economy", "business", "first")}),
    tool("set_thermostat", "Set the temperature of a room in degrees Celsius.", {"room": STRING, "temperature": NUMBER}, {"mode": one_of("heat", "cool", "auto")}),
    tool("send_invitations", "Send invitations to an event.", {"event": STRING, "guests": list_of(STRING)}),
    tool("average", "Compute the average of numbers.", {"numbers": list_of(NUMBER)}),
    tool("create_ticket", "Create a support ticket.", {"title": STRING, "priority": one_of("low", "medium", "high")}, {"assignee": STRING}),
    tool("book_table", "Book a table in a restaurant.", {"restaurant_name": STRING, "party_size": INTEGER}, {"outdoor": BOOLEAN}),
    tool("translate_text", "Translate a text.", {"text": STRING, "target_language": STRING}),
    tool("start_timer", "Start a timer.", {"minutes": INTEGER, "label": STRING}),
    tool("search_recipes", "Search recipes by their ingredients.", {"ingredients": list_of(STRING), "max_minutes": INTEGER}),
    tool("calculate_loan", "Compute the monthly payment of a loan.", {"principal": NUMBER, "annual_rate": NUMBER, "years": INTEGER}),
    tool("play_music", "Play music of an artist.", {"artist": STRING}, {"shuffle": BOOLEAN, "volume": INTEGER}),
    tool("track_parcel", "Track a parcel.", {"tracking_number": STRING, "carrier": one_of("UPS", "DHL", "FedEx")}),
]

QUESTIONS = [
    ("What will the weather in Oslo be for the next 3 days, in celsius?", "get_forecast", {"city": "Oslo", "days": 3, "unit": "celsius"}),
    ("I need the forecast for Lima for 5 days, in fahrenheit please.", "get_forecast", {"city": "Lima", "days": 5, "unit": "fahrenheit"}),
    ("How many euros (EUR) are 250 dollars (USD)?", "convert_currency", {"amount": 250, "from_currency": "USD", "to_currency": "EUR"}),
    ("Convert 1200 yen (JPY) into pounds (GBP).", "convert_currency", {"amount": 1200, "from_currency": "JPY", "to_currency": "GBP"}),
    ("Find business flights from Berlin to Rome for 2 passengers.", "find_flights", {"origin": "Berlin", "destination": "Rome", "passengers": 2, "cabin": "business"}),
    ("Four of us want to fly economy from Cairo to Athens.", "find_flights", {"origin": "Cairo", "destination": "Athens", "passengers": 4, "cabin": "economy"}),
    ("Set the bedroom to 19 degrees, heat mode.", "set_thermostat", {"room": "bedroom", "temperature": 19, "mode": "heat"}),
    ("Cool the kitchen to 22 degrees.", "set_thermostat", {"room": "kitchen", "temperature": 22, "mode": "cool"}),
    ("Invite Ana and Ben to the event Summer Party.", "send_invitations", {"event": "Summer Party", "guests": ["Ana", "Ben"]}),
    ("Invite Chen, Dora and Emil to the event Retreat.", "send_invitations", {"event": "Retreat", "guests": ["Chen", "Dora", "Emil"]}),
    ("What is the average of 4, 8 and 15?", "average", {"numbers": [4, 8, 15]}),
    ("What is the average of 2.5 and 7.5?", "average", {"numbers": [2.5, 7.5]}),
    ("Create a high priority ticket with the title Login fails.", "create_ticket", {"title": "Login fails", "priority": "high"}),
    ("Open a ticket titled Typo on homepage with low priority.", "create_ticket", {"title": "Typo on homepage", "priority": "low"}),
    ("Book a table for 6 at Luigi's.", "book_table", {"restaurant_name": "Luigi's", "party_size": 6}),
    ("Reserve an outdoor table for 2 at Sakura.", "book_table", {"restaurant_name": "Sakura", "party_size": 2, "outdoor": True}),
    ("Translate 'Good morning' into Spanish.", "translate_text", {"text": "Good morning", "target_language": "Spanish"}),
    ("Translate 'Thank you' into German.", "translate_text", {"text": "Thank you", "target_language": "German"}),
    ("Start a timer of 25 minutes with the label pasta.", "start_timer", {"minutes": 25, "label": "pasta"}),
    ("Start a 10 minute timer labelled tea.", "start_timer", {"minutes": 10, "label": "tea"}),
    ("Find recipes with tomatoes and basil that take at most 30 minutes.", "search_recipes", {"ingredients": ["tomatoes", "basil"], "max_minutes": 30}),
    ("What is the monthly payment of a loan of 200000 at 3.5 percent a year over 20 years?", "calculate_loan", {"principal": 200000, "annual_rate": 3.5, "years": 20}),
    ("Play Miles Davis with shuffle on, volume 40.", "play_music", {"artist": "Miles Davis", "shuffle": True, "volume": 40}),
    ("Where is the DHL parcel with the tracking number JD014600?", "track_parcel", {"tracking_number": "JD014600", "carrier": "DHL"}),
]
